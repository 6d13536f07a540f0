# Everything that pip installs is pinned by hash, the build backend too.
FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY requirements-build.lock ./
RUN python -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r requirements-build.lock
COPY requirements.lock ./
RUN python -m venv /opt/operator && /opt/operator/bin/pip install --require-hashes -r requirements.lock
COPY pyproject.toml LICENSE ./
COPY operator ./operator
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /dist . \
 && /opt/operator/bin/pip install --no-deps --no-index /dist/*.whl \
 && /opt/operator/bin/pip uninstall --yes setuptools pip

# Runs as any uid, in any group, on a read-only root: nothing is written but temporary files in /tmp.
FROM python:3.11-slim
COPY --from=build /opt/operator /opt/operator
ENV PATH=/opt/operator/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 65532:65532
ENTRYPOINT ["semantic-router-operator"]
CMD ["run"]
