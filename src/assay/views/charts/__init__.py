"""Charts as Vega-Lite descriptions: one each, for reports, the live page and figures alike.

A description names its data and never holds it, so that rows are embedded once however many charts show them. A new
kind of chart is a function here that describes it, one that makes its rows (`report/columns.py`, table `_DATASETS`),
and one that captions it (`report/sections.py`, table `KINDS`).
"""
