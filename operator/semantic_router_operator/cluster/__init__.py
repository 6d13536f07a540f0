"""The only room that talks to Kubernetes: client, caches, writers, Lease, capabilities."""
