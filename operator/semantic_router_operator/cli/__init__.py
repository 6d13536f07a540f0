"""What a person types: run, render, crd."""
