# plait serve in a container: docker build -t plait . && docker run -p 127.0.0.1:8000:8000 -e PLAIT_TOKEN=... \
#     -v ./news.plait:/model.plait:ro plait
FROM python:3.13-slim

RUN useradd --system --create-home --uid 10001 plait
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir '.[serve,text]'

USER plait
WORKDIR /home/plait
# Compiled samplers are cached here, because the package's own folder cannot be written.
ENV NUMBA_CACHE_DIR=/home/plait/.cache/numba PYTHONUNBUFFERED=1
# Compile once, when the image is built: a container answers sooner.
RUN python -c "import plait; corpus = plait.Corpus.from_texts(['red fox', 'blue sea'] * 5, labels=[['a'], ['b']] * 5); \
plait.MedLDA(2, n_sweeps=2, n_samples=1, verbose=False).fit(corpus).predict(['red fox'])"

EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
# PLAIT_TOKEN must be set, because the address is not this machine's own.
ENTRYPOINT ["plait", "serve"]
CMD ["/model.plait", "--host", "0.0.0.0"]
