"""A kind cluster with real kubelets and containers, with an image registry or without.

`docker` nodes: the machine's own Docker and kind's public node image. `own` nodes, for a machine
that has neither: a dockerd of ours, and a node image made of Debian packages and of the programs
that hack/tools pins. `python -m kind up` finds out which, or is told by KIND_MODE.
"""
