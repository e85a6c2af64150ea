"""Charts as Vega-Lite descriptions: one each, for reports, the live page and figures alike.

A description names its data and never holds it, so that rows are embedded once however many charts show them.
"""
