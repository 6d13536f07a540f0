# Everything that pip installs is pinned by hash, the build backend too.
# BASE has Python 3.11 as `python`. Without a package index: every wheel in wheels/ and
# --build-arg PIP_NO_INDEX=1, as `make kind-image` does.
ARG BASE=python:3.11-slim
FROM ${BASE} AS build
ARG PIP_NO_INDEX
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_FIND_LINKS=/wheels
WORKDIR /src
COPY requirements.lock requirements-build.lock wheel[s] /wheels/
RUN python -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r /wheels/requirements-build.lock
RUN python -m venv /opt/operator && /opt/operator/bin/pip install --require-hashes -r /wheels/requirements.lock
COPY pyproject.toml LICENSE ./
COPY operator ./operator
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /dist . \
 && /opt/operator/bin/pip install --no-deps --no-index /dist/*.whl \
 && /opt/operator/bin/pip uninstall --yes setuptools pip
# The Kubernetes client's modules of one class each, two thirds of all files, load when they are
# first named: the operator names none, it only takes credentials from that package.
RUN find /opt/operator/lib/python3.11/site-packages/kubernetes -path '*/client/*' \
      '(' -path '*/models/*' -o -path '*/api/*' ')' -type f ! -name '__init__.*' -delete

# Runs as any uid, in any group, on a read-only root: nothing is written but temporary files in /tmp.
FROM ${BASE}
COPY --from=build /opt/operator /opt/operator
# kopf asks for the user's name, which an arbitrary uid has none of: USER answers.
ENV PATH=/opt/operator/bin:$PATH \
    HOME=/tmp \
    USER=semantic-router-operator \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 65532:65532
ENTRYPOINT ["semantic-router-operator"]
CMD ["run"]
