"""Tests of G1 and G2: many sockets receive many lines a second for a long time, all of them in time and in order."""

import json
import subprocess
import sys
import time

import pytest

from chorus.testing.builders import Session, encode_all
from tests.security.roomy import PER_LOGIN, roomy, slowdown

MAX_RSS_MB = 400
PATIENCE_S = 120


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the memory of another process")
@pytest.mark.parametrize(
    ("listeners", "rate", "seconds", "most_p99_ms"),
    [
        pytest.param(10, 50, 2, 250, id="short"),
        pytest.param(50, 100, 20, 100, id="G1", marks=pytest.mark.long),
        pytest.param(200, 50, 600, 250, id="G2", marks=pytest.mark.long),
    ],
)
def test_every_socket_hears_every_line(tmp_path, request, listeners, rate, seconds, most_p99_ms):
    """Every socket receives every line once and in order, and the server stays small."""
    session = Session()
    session.user("begin")
    path = tmp_path / "client" / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(session))
    with roomy(tmp_path / "vault", tmp_path / "client") as server:
        browsers = server.browsers(listeners)
        hello = {"type": "hello", "follow": [server.warm(browsers[0], path, session)]}
        job = {
            "url": f"ws://127.0.0.1:{server.port}/api/live",
            "origin": browsers[0].origin,
            "cookies": [browsers[n // PER_LOGIN].cookie for n in range(listeners)],
            "hellos": [json.dumps(hello | {"ticket": browsers[n // PER_LOGIN].ticket()}) for n in range(listeners)],
            "listeners": listeners,
            "stalled": 0,
            "seconds": PATIENCE_S,
            "marks": rate * seconds,
        }
        call = [sys.executable, "-m", "bench.listening"]
        with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as listening:
            assert listening.stdin is not None
            assert listening.stdout is not None
            listening.stdin.write(json.dumps(job) + "\n")
            listening.stdin.flush()
            assert listening.stdout.readline() == "ready\n"
            slow = slowdown()
            began = time.perf_counter()
            for n in range(rate * seconds):
                time.sleep(max(0.0, began + n / rate - time.perf_counter()))
                with path.open("ab") as file:
                    file.write(encode_all([session.user(f"line {n} mark={time.time_ns()}")]))
            told = json.loads(listening.stdout.readline())
        slow = max(slow, slowdown())
        rss_mb = server.rss_mb("VmHWM")
    lags = told["lags_ms"]
    p99 = lags[int(len(lags) * 0.99)]
    name = "G1" if "G1" in request.node.name else "G2"
    print(
        f"{name}: {listeners} × {rate}/s for {seconds} s: p50/p99 {lags[len(lags) // 2]:.0f}/{p99:.0f} ms "
        f"(machine slowed down {slow:.1f} ×), server {rss_mb} MB, gaps {told['gaps']}, breaks {told['breaks']}"
    )
    assert told["marks"] == [rate * seconds] * listeners
    assert (told["gaps"], told["breaks"]) == (0, 0)
    assert rss_mb <= MAX_RSS_MB
    assert p99 <= most_p99_ms * slow
