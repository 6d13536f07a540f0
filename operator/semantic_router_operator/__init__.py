"""Kubernetes operator for vLLM Semantic Router."""

__version__ = "0.1.0"
