"""The workloads: stand-alone scripts that report to a recorder if there is one.

`assay run mnist batch_size=8`, or `python -m assay_workloads.mnist --batch-size 8`. They import nothing of Assay but
the one file a measured program may import, and each other. A workload's module can be imported without torch (it
declares `Settings` and `main`, and loads torch when it starts), so that a typo is reported before anything begins.
Assay finds them by the entry points of this distribution.
"""
