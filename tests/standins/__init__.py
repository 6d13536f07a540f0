"""A router stand-in and a model server for tests, built from program/. See README.md."""
