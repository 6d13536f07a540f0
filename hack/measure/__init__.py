"""Programs that measure the operator on an embedded control plane and print what they found."""
