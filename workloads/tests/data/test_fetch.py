"""Finding data: where the user points, the cache, a mirror, the registry; whole or not at all."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mirrors import Served, file_of, serving

from assay_workloads.data import download
from assay_workloads.data.fetch import find
from assay_workloads.data.files import DataError, Dataset, File, Form

CONTENT = bytes(range(256)) * 40


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ASSAY_DATA", str(folder))
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(download, "_dead", {})
    return folder


@pytest.fixture
def mirror() -> Iterator[Served]:
    with serving(digits=CONTENT) as served:
        yield served


def one(*files: File) -> Dataset:
    return Dataset(name="digits", what="some", forms=tuple(Form(real="digits", files=(file,)) for file in files))


def nowhere() -> str:
    """An address at which no one listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def whole_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock") if folder.exists() else []


def test_a_mirror_is_asked_once_and_then_the_cache_serves(cache: Path, mirror: Served) -> None:
    dataset = one(file_of(CONTENT, urls=(f"{mirror.url}/digits",)))
    assert find(dataset).source == mirror.url.removeprefix("http://")
    assert (cache / "digits.bin").read_bytes() == CONTENT
    assert find(dataset).source == "cache"
    assert mirror.asked == ["/digits"]


def test_what_the_user_points_to_comes_first(cache: Path, mirror: Served, tmp_path: Path) -> None:
    mine = tmp_path / "mine" / "digits"
    mine.mkdir(parents=True)
    (mine / "digits.bin").write_bytes(CONTENT)
    dataset = one(file_of(CONTENT, urls=(f"{mirror.url}/digits",)))
    for folder in (mine, mine.parent):
        assert find(dataset, str(folder)).paths == {"digits.bin": mine / "digits.bin"}
    assert mirror.asked == []


@pytest.mark.parametrize(
    ("content", "said"),
    [(CONTENT[:100], "is cut short: 100 of 10,240 bytes"), (CONTENT[::-1], "is damaged"), (CONTENT + b"x", "damaged")],
)
def test_a_pointed_file_that_is_not_whole_is_refused_and_left_alone(
    cache: Path, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "digits.bin").write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        find(one(file_of(CONTENT)), str(tmp_path))
    assert caught.value.hint
    assert (tmp_path / "digits.bin").read_bytes() == content


def test_a_folder_without_the_data_says_what_it_would_be(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no digits data in") as caught:
        find(one(file_of(CONTENT)), str(tmp_path))
    assert "`digits.bin`" in str(caught.value.hint)
    with pytest.raises(DataError, match="is not there"):
        find(one(file_of(CONTENT)), str(tmp_path / "nothing"))


@pytest.mark.parametrize("content", [CONTENT[:7], CONTENT[::-1]])
def test_a_damaged_file_of_the_cache_is_fetched_again(
    cache: Path, mirror: Served, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.mkdir()
    (cache / "digits.bin").write_bytes(content)
    find(one(file_of(CONTENT, urls=(f"{mirror.url}/digits",))))
    assert (cache / "digits.bin").read_bytes() == CONTENT
    assert "it is not used" in capsys.readouterr().err


def test_a_mirror_with_other_bytes_is_not_believed(cache: Path, mirror: Served) -> None:
    with serving(digits=CONTENT[::-1]) as liar:
        with pytest.raises(DataError, match="wrong sha256"):
            find(one(file_of(CONTENT, urls=(f"{liar.url}/digits",))))
        assert whole_files(cache) == []
        assert find(one(file_of(CONTENT, urls=(f"{liar.url}/digits", f"{mirror.url}/digits")))).paths


def test_a_transfer_that_breaks_leaves_nothing_behind(cache: Path, mirror: Served) -> None:
    mirror.cut = True
    with pytest.raises(DataError, match=r"5,120 of 10,240 bytes came|[Ii]ncomplete"):
        find(one(file_of(CONTENT, urls=(f"{mirror.url}/digits",))))
    assert whole_files(cache) == []


def test_without_a_network_the_error_says_where_to_put_the_data(cache: Path) -> None:
    dead = nowhere()
    dataset = one(file_of(CONTENT, urls=(f"{dead}/digits",)))
    with pytest.raises(DataError, match=r"no digits data was found: 127.0.0.1:.*connection refused") as caught:
        find(dataset)
    assert str(cache) in str(caught.value.hint)
    assert "`digits.bin`" in str(caught.value.hint)


def test_the_registry_is_used_where_no_mirror_answers(
    cache: Path, mirror: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = '<a href="../files/other-1.whl">x</a><a href="../files/digits-1.whl#sha256=0">digits</a>'
    mirror.pages |= {"/simple/digits/": page.encode(), "/simple/files/digits-1.whl": CONTENT}
    monkeypatch.setenv("PIP_INDEX_URL", f"{mirror.url}/simple/")
    wheel = file_of(CONTENT, name="digits-1.whl", project="digits")
    found = find(one(wheel, file_of(CONTENT, urls=(f"{nowhere()}/digits",))))
    assert list(found.paths) == ["digits-1.whl"]


def test_the_password_of_a_registry_is_sent_and_never_printed(
    cache: Path, mirror: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror.needs = "Basic bWU6czNjcmV0"
    mirror.pages |= {"/simple/digits/": b'<a href="/f/digits-1.whl">digits</a>'}
    monkeypatch.setenv("PIP_INDEX_URL", mirror.url.replace("//", "//me:s3cret@") + "/simple")
    with pytest.raises(DataError) as caught:
        find(one(file_of(CONTENT, name="digits-1.whl", project="digits")))
    assert "/simple/digits/" in mirror.asked
    assert "/f/digits-1.whl" in mirror.asked
    told = f"{caught.value.message} {caught.value.hint} {capsys.readouterr()}"
    assert "s3cret" not in told


def test_a_lesser_set_at_hand_does_not_hide_a_better_one(cache: Path, mirror: Served) -> None:
    cache.mkdir()
    (cache / "lesser.bin").write_bytes(b"lesser")
    better = Form(real="better", files=(file_of(CONTENT, urls=(f"{mirror.url}/digits",)),))
    lesser = Form(real="lesser", files=(file_of(b"lesser", name="lesser.bin"),))
    dataset = Dataset(name="digits", what="some", forms=(better, lesser))
    assert find(dataset).form.real == "better"
    (cache / "digits.bin").unlink()
    mirror.pages.clear()
    assert find(dataset).form.real == "lesser"


def test_processes_that_start_together_fetch_once(cache: Path, mirror: Served) -> None:
    script = f"""
from assay_workloads.data.fetch import find
from assay_workloads.data.files import Dataset, File, Form
file = {file_of(CONTENT, urls=(f"{mirror.url}/digits",))!r}
find(Dataset(name="digits", what="", forms=(Form(real="digits", files=(file,)),)))
"""
    started = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert mirror.asked == ["/digits"]


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/proc"), reason="nothing is forbidden to root")
def test_a_cache_that_cannot_be_written_is_an_error_with_a_way_out(
    mirror: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA", "/proc/nowhere")
    with pytest.raises(DataError, match="/proc/nowhere") as caught:
        find(one(file_of(CONTENT, urls=(f"{mirror.url}/digits",))))
    assert "export ASSAY_DATA=" in str(caught.value.hint)
