"""Pages in other languages: true sentences accuse nobody, false ones are found, and what is not understood is not judged."""

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

TRUE = (
    ("batches", "Batchgröße 2048 ist 2,3 Mal so schnell wie Batchgröße 512."),
    ("batches", "Der Durchsatz steigt um 130 % von Batchgröße 512 zu Batchgröße 2048."),
    ("batches", "Der Durchsatz ist mit Batchgröße 2048 höher als mit Batchgröße 512."),
    ("batches", "Am schnellsten war Batchgröße 2048."),
    ("batches", "Beim nächsten Mal würde ich eine Batchgröße von 4096 verwenden."),
    ("batches", "Laut Aufgabe verlangt die Übung eine Batchgröße von 256."),
    ("batches", "Mit Batchgröße 512 liegt der Durchsatz bei 2.922 Samples/s."),
    ("batches", "Der Loss beträgt mit Batchgröße 512 am Ende 7,125."),
    ("epochs", "Mit 20 Epochen liegt die Genauigkeit bei 98,56 %."),
    ("epochs", "Mit 20 Epochen ist die Genauigkeit höher als mit 10 Epochen."),
    ("epochs", "Die Genauigkeit stieg von 96,90 % auf 98,56 %."),
    ("epochs", "Die Genauigkeit stieg um 1,66 Prozentpunkte, von 96,90 % auf 98,56 %."),
    ("tasks", "Mit 16 Tasks ist der Durchsatz 1,99 Mal so hoch wie mit 8 Tasks."),
    ("batches", "El tamaño de lote 2048 es 2,3 veces más rápido que el tamaño de lote 512."),
    ("batches", "El rendimiento aumenta un 130 % de un tamaño de lote 512 a un tamaño de lote 2048."),
    ("batches", "El más rápido fue el tamaño de lote 2048."),
    ("batches", "El rendimiento con tamaño de lote 2048 es mayor que con tamaño de lote 512."),
    ("batches", "La próxima vez usaría un tamaño de lote de 4096."),
    ("batches", "El enunciado pide un tamaño de lote de 256."),
    ("batches", "La pérdida final con tamaño de lote 512 es 7,125."),
    ("epochs", "Con 20 épocas la exactitud es 98,56 %."),
    ("epochs", "La exactitud subió de 96,90 % a 98,56 %."),
    ("epochs", "La exactitud subió 1,66 puntos porcentuales, de 96,90 % a 98,56 %."),
    ("epochs", "Con 20 épocas la exactitud es mayor que con 10 épocas."),
    ("epochs", "Avec 20 époques, la précision est de 98,56 %."),
    ("epochs", "Com 20 épocas a acurácia é de 98,56 %."),
    ("epochs", "训练20轮后准确率为98.56%。"),
)
FALSE = (
    ("batches", "Batchgröße 2048 ist 4,3 Mal so schnell wie Batchgröße 512."),
    ("batches", "Der Durchsatz steigt um 30 % von Batchgröße 512 zu Batchgröße 2048."),
    ("batches", "Der Durchsatz ist mit Batchgröße 512 höher als mit Batchgröße 2048."),
    ("batches", "Der höchste Durchsatz wurde mit Batchgröße 512 erreicht."),
    ("batches", "Mit Batchgröße 512 liegt der Durchsatz bei 3.922 Samples/s."),
    ("batches", "Der Loss beträgt mit Batchgröße 512 am Ende 6,125."),
    ("batches", "Im Vergleich zu Batchgröße 512 ist der Durchsatz mit Batchgröße 2048 um 30 % höher."),
    ("epochs", "Mit 20 Epochen liegt die Genauigkeit bei 99,56 %."),
    ("epochs", "Die Genauigkeit stieg von 96,90 % auf 98,56 %, ein Anstieg um 5 %."),
    ("tasks", "Mit 16 Tasks ist der Durchsatz 4 Mal so hoch wie mit 8 Tasks."),
    ("batches", "El tamaño de lote 2048 es 4,3 veces más rápido que el tamaño de lote 512."),
    ("batches", "El rendimiento aumenta un 30 % de un tamaño de lote 512 a un tamaño de lote 2048."),
    ("batches", "El rendimiento con tamaño de lote 512 es mayor que con tamaño de lote 2048."),
    ("batches", "El mayor rendimiento se obtuvo con el tamaño de lote 512."),
    ("batches", "La pérdida final con tamaño de lote 512 es 6,125."),
    ("epochs", "Con 20 épocas la exactitud es 99,56 %."),
    ("epochs", "Avec 20 époques, la précision est de 99,56 %."),
    ("epochs", "Com 20 épocas a acurácia é de 99,56 %."),
)
UNKNOWN = (
    "Trening trwał 200 sekund, a dokładność wyniosła 99,56 %. Użyliśmy batch size 64 oraz learning rate 0,5 przez 90 epochs.",
    "Modeli 90 epochs boyunca batch size 64 ve learning rate 0.5 ile eğittik. Bu test accuracy 99.56 % daha yüksek bir oran.",
    "モデルは90エポック学習し、accuracyは99.56%でした。batch size 64です。",
)


def _accused(folder: Path, name: str, text: str) -> list[str]:
    before = {(one.code, one.message) for one in judged(folder, PAGES[name])}
    found = judged(folder, f"{PAGES[name]}\n{text}\n")
    return [one.code for one in found if (one.code, one.message) not in before and one.severity != "note"]


@pytest.mark.parametrize(("name", "sentence"), TRUE)
def test_a_true_sentence_accuses_nobody(tmp_path: Path, name: str, sentence: str) -> None:
    assert _accused(tmp_path, name, sentence) == []


@pytest.mark.parametrize(("name", "sentence"), FALSE)
def test_a_false_sentence_is_found(tmp_path: Path, name: str, sentence: str) -> None:
    assert _accused(tmp_path, name, sentence)


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_language_without_words_here_is_not_judged(tmp_path: Path, text: str) -> None:
    assert _accused(tmp_path, "epochs", text) == []
