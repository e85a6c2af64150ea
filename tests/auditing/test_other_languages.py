"""Pages in other languages: their logs are read, and sentences that are not understood are not judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged
from logs import cerebras, mnist, page, sambanova

_AT_512 = ("### 512", cerebras(512, 2922, 7.125))
_AT_2048 = ("### 2048", cerebras(2048, 6725, 7.15625, start="2024-04-02 15:00:00"))
PAGES = {
    "batches": page("# Cerebras", *_AT_512, *_AT_2048, "### Text"),
    "epochs": page("# Graphcore", "## 10 epochs", mnist(10, 150, 96.90), "## 20 epochs", mnist(20, 150, 98.56), "## Text"),
    "tasks": page("# SambaNova", "## 16 tasks", sambanova(16, 452.0), "## 8 tasks", sambanova(8, 450.2, 8.31), "## Text"),
}  # fmt: skip

#: true and false ones: neither is understood
SENTENCES = (
    ("batches", "Batchgröße 2048 ist 2,3 Mal so schnell wie Batchgröße 512."),
    ("batches", "Der Durchsatz ist mit Batchgröße 512 höher als mit Batchgröße 2048."),
    ("batches", "Beim nächsten Mal würde ich eine Batchgröße von 4096 verwenden."),
    ("batches", "El rendimiento aumenta un 30 % de un tamaño de lote 512 a un tamaño de lote 2048."),
    ("epochs", "Die Genauigkeit stieg um 1,66 Prozentpunkte, von 96,90 % auf 98,56 %."),
    ("epochs", "Con 20 épocas la exactitud es 99,56 %."),
    ("epochs", "Avec 20 époques, la précision est de 98,56 %."),
    ("epochs", "Com 20 épocas a acurácia é de 98,56 %."),
    ("epochs", "训练20轮后准确率为99.56%。"),
    (
        "epochs",
        "Trening trwał 200 sekund, a dokładność wyniosła 99,56 %. Użyliśmy batch size 64 oraz learning rate 0,5.",
    ),
    (
        "epochs",
        "Modeli 90 epochs boyunca batch size 64 ve learning rate 0.5 ile eğittik. Bu test accuracy 99.56 % daha yüksek.",
    ),
    ("epochs", "モデルは90エポック学習し、accuracyは99.56%でした。batch size 64です。"),
)
WHOLE = ("lernrate.md", "latencias.md")


@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_a_sentence_in_another_language_is_not_judged(tmp_path: Path, name: str, sentence: str) -> None:
    before = {(one.code, one.message) for one in judged(tmp_path, PAGES[name])}
    found = judged(tmp_path, f"{PAGES[name]}\n{sentence}\n")
    assert [one for one in found if (one.code, one.message) not in before and one.severity != "note"] == []


@pytest.mark.parametrize("name", WHOLE)
def test_a_page_in_another_language_accuses_nobody(tmp_path: Path, name: str) -> None:
    page = (Path(__file__).parent / "pages" / name).read_text(encoding="utf-8")
    assert [one for one in judged(tmp_path, {name: page}) if one.severity != "note"] == []
