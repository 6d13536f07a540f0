"""Faults between an operator and its API server, and whether it ends where it should.

`FaultProxy` is a TLS reverse proxy that a test scripts; `Harness` runs an operator behind it;
`python -m faults` scores one: scenarios x perturbations against the run without faults.
"""
