from __future__ import annotations

import copy
import hashlib
import multiprocessing
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

import reference
import sottovoce as sv
from messages import refused
from sottovoce.wire import describe


def test_seeded_words_are_the_same_on_every_platform() -> None:
    """AES-256-CTR keyed by SHA-256 of the seed: recorded once, true for ever."""
    assert sv.SeededSource(7).take(2).tolist() == [15334888223947625277, 11214049457181105182]
    assert sv.SeededSource(8).word() == 6960499557487509693
    key = hashlib.sha256(b"sottovoce seed 7").digest()
    blocks = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(b"".join(i.to_bytes(16, "big") for i in range(500)))
    assert sv.SeededSource(7).take(1000).tobytes() == blocks


def test_copies_of_a_secure_source_share_no_words() -> None:
    source = sv.SecureSource()
    source.word()
    for twin in (copy.copy(source), copy.deepcopy(source), pickle.loads(pickle.dumps(source))):
        assert twin.word() != source.word()


def test_copies_of_a_seeded_source_go_on_by_themselves() -> None:
    for start in (0, 1, 7, 600):
        source = sv.SeededSource(4)
        source.take(start)
        source.word()
        twins = [copy.copy(source), copy.deepcopy(source), pickle.loads(pickle.dumps(source))]
        expected = source.take(900).tolist()
        assert [twin.take(900).tolist() for twin in twins] == [expected] * 3


class _Forgetful(sv.SeededSource):
    """Drops what is given back, as the secure source does."""

    def give_back(self, words: Any) -> None:
        pass


class _Stubborn(_Forgetful):
    """Words that leave every comparison undecided for as long as they can: the bits of the thresholds themselves."""

    def __init__(self, channel: sv.UnaryChannel, code: int) -> None:
        super().__init__(1)
        group = code // 64
        thresholds = channel.absent.tolist()
        thresholds[code] = int(channel.present[code])
        lanes = thresholds[64 * group : 64 * group + 64]
        self._script = [sum((lane >> (63 - level) & 1) << j for j, lane in enumerate(lanes)) for level in range(60)]

    def _fresh(self, target: Any) -> int:
        filled = super()._fresh(target)
        for i in range(min(len(target), len(self._script))):
            target[i] = self._script.pop(0)
        return filled


def test_a_report_is_never_begun_again_with_other_words() -> None:
    """How many words a report reads depends on what it says, so dropping a half-read report would bias the channel."""
    big = sv.oue(sv.Domain(64 * 985), 8.0).channel
    for seed in range(300):
        assert big.perturb(np.array([0]), _Forgetful(seed)) == big.perturb(np.array([0]), sv.SeededSource(seed))
    small = sv.oue(sv.Domain(40), 1.0).channel
    assert isinstance(small, sv.UnaryChannel)
    form = describe(small)
    for code in (0, 17, 39):
        words = _Stubborn(small, code).take(200)
        expected = reference.report(form, code, iter(words.tolist()))
        assert small.perturb_one(code, _Stubborn(small, code)) == expected
        assert small.perturb(np.array([code]), _Stubborn(small, code)).tolist() == [expected]


def test_many_reports_from_little_pieces() -> None:
    """Chunks that end in the middle of reports change nothing."""
    for build in (sv.oue, sv.subset_selection, sv.hadamard, sv.olh):
        channel = build(sv.Domain(300), 1.0).channel
        codes = np.arange(5000) % 300
        words = sv.SeededSource(3).take(1_200_000)
        assert channel.perturb(codes, _Forgetful(3)) == channel.perturb(codes, sv.ReplaySource(words))


@given(st.lists(st.integers(0, 700), max_size=12))
def test_a_stream_does_not_depend_on_how_it_is_read(pieces: list[int]) -> None:
    whole = sv.SeededSource(1).take(sum(pieces) + len(pieces))
    source = sv.SeededSource(1)
    read: list[int] = []
    for piece in pieces:
        words = source.take(piece)
        source.give_back(words[piece // 2 :])
        read += [*words[: piece // 2].tolist(), *source.take(piece - piece // 2).tolist(), source.word()]
    assert read == whole.tolist()


def test_replay_ends_with_an_error() -> None:
    source = sv.ReplaySource([3, 2**64 - 1])
    assert [source.word(), source.word()] == [3, 2**64 - 1]
    with refused(sv.SourceError):
        source.word()
    for words in ([-1], [2**64], [1.5], ["a"], [None]):
        with refused(sv.SourceError):
            sv.ReplaySource(words)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None, True])
def test_bad_seeds(seed: object) -> None:
    with refused(sv.SourceError, seed):
        sv.SeededSource(seed)  # type: ignore[arg-type]  # wrong on purpose


def test_secure_words_look_uniform_and_never_repeat() -> None:
    source = sv.SecureSource()
    words = np.concatenate([source.take(1 << 18), source.take(100), np.array([source.word() for _ in range(2000)], dtype=np.uint64)])
    assert len(np.unique(words)) == len(words)
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert np.abs(bits - 0.5).max() < 7 * 0.5 / np.sqrt(len(words))


def test_threads_that_share_a_secure_source_share_no_words() -> None:
    source = sv.SecureSource()
    with ThreadPoolExecutor(8) as pool:
        singles = list(pool.map(lambda _: [source.word() for _ in range(3000)], range(8)))
    words = [word for part in singles for word in part]
    assert len(set(words)) == len(words)


def _words_of_child(source: sv.SecureSource, queue: multiprocessing.Queue[list[int]]) -> None:
    queue.put([source.word() for _ in range(50)] + source.take(300).tolist())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_repeat_its_parents_words() -> None:
    """The parent holds a stock of words when it forks; children must not draw from a copy of it."""
    context = multiprocessing.get_context("fork")
    source = sv.SecureSource()
    source.word()
    queue: multiprocessing.Queue[list[int]] = context.Queue()
    children = [context.Process(target=_words_of_child, args=(source, queue)) for _ in range(2)]
    for child in children:
        child.start()
    words = queue.get(timeout=60) + queue.get(timeout=60) + [source.word() for _ in range(50)]
    for child in children:
        child.join()
    assert len(set(words)) == len(words)


def test_no_fallback_when_the_operating_system_gives_no_randomness(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(size: int) -> bytes:
        raise NotImplementedError("no entropy")

    monkeypatch.setattr(os, "urandom", refuse)
    mechanism = sv.krr(sv.Domain("abc"), 1.0)
    with pytest.raises(NotImplementedError):
        mechanism.perturb("abc", sv.SecureSource())
    with pytest.raises(NotImplementedError):
        mechanism.perturb_one("a", sv.SecureSource())


def test_parallel_and_sequential_perturbation_sample_the_same_channel() -> None:
    """Above the size at which threads are used, every thread draws its own words."""
    mechanism = sv.krr(sv.Domain(4), 1.0)
    reports = mechanism.perturb(np.zeros(1 << 19, dtype=np.uint8))
    assert isinstance(reports, sv.CodeReports)
    first, second = np.split(reports.codes, 2)
    assert not np.array_equal(first, second)
    frequency = np.bincount(reports.codes, minlength=4) / len(reports)
    assert np.abs(frequency - mechanism.channel.matrix()[0]).max() < 7 * 0.5 / np.sqrt(len(reports))
