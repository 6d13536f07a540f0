"""`make demo`: the operator at work on a control plane of its own, every claim checked.

    python -m demo            # with hack on PYTHONPATH; KEEP=1 leaves it running
    python -m demo down       # ends what KEEP=1 left

The steps are in `tour.py`; what a step may say is true is in `views.py`.
"""
