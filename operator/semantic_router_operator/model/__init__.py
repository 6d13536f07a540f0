"""Frozen data: the resource, resolved targets, the canonical document, manifests, status."""
