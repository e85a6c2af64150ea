"""Portuguese: what values are given in; as in `en.py`."""

from __future__ import annotations

TERMS = {
    "batch_size": "tamanho do lote | tamanho de lote | tamanho do batch",
    "lr": "taxa de aprendizado | taxa de aprendizagem",
    "epochs": "épocas | número de épocas",
    "steps": "passos | iterações",
    "num_tasks": "tarefas",
    "seq_len": "comprimento da sequência | comprimento de sequência",
    "accuracy": "acurácia | precisão | exatidão",
    "loss": "perda",
    "val_loss": "perda de validação",
    "test_loss": "perda de teste",
    "rate": "vazão | taxa de processamento",
    "time": "tempo de treinamento | tempo de treino | tempo de execução | tempo total | duração | demorou | durou"
    " | levou",
    "latency": "latência",
    "memory": "memória | uso de memória",
    "samples": "amostras",
}
RATE_UNITS = {"samples": "amostras por segundo | imagens por segundo | amostras / s", "tokens": "tokens por segundo"}
SPLITS = {"train": "de treinamento | de treino", "val": "de validação", "test": "de teste"}
SCOPES = {"device": "por placa | por processo", "epoch": "por época", "step": "por passo"}
AVERAGES = {"mean": "média | em média", "total": "no total", "initial": "no início"}
UP = {
    "": "maior | maiores",
    "better": "melhora | melhorou",
    "speed": "mais rápido | mais rápida",
    "time": "mais tempo | mais longo",
    "accuracy": "mais preciso | mais precisa",
}
DOWN = {
    "": "diminui* | caiu | reduziu | menor",
    "speed": "mais lento | mais lenta",
    "time": "menos tempo",
    "accuracy": "menos preciso | menos precisa",
}
BEST = {
    "speed+": "o mais rápido | a mais rápida",
    "speed-": "o mais lento | a mais lenta",
    "accuracy+": "o mais preciso | a mais precisa",
    "better": "o melhor | a melhor",
}
LINKS = "foi | foram | é | são | da | dos | das | na | com | atingiu | alcançou | obteve | obtivemos | um | uma"
ABOUT = "cerca de | aproximadamente | quase"
AT_LEAST = "mais de | pelo menos"
AT_MOST = "menos de | no máximo | até"
SUPPOSED = (
    "seria | poderia | poderíamos | deveria | deveríamos | teria | usaria | próxima vez | provavelmente | talvez "
    "| teoricamente | geralmente | recomendado | recomendada | esperado | esperada"
)
DEFAULTS = "padrão"
OTHERS = "enunciado | exercício | colega | colegas | outros | professor | autores"
OTHER_VERBS = "pede | usa | usou | mostra | recomenda"
ELSEWHERE = "no meu notebook | no meu computador | em casa"
EARLIER = "semana passada | ontem | anteriormente | tentativa anterior"
FAILED = "falhou | falharam | não coube | não funcionou"
NOT = "não | nenhum | nenhuma | nunca | sem"
INSTEAD = "em vez de | ao invés de | em comparação com"
SAME = "igual | idêntico | idêntica | mesma"
DID = "treinei | treinamos | usei | usamos | executei | executamos"
WE = "eu | nós | meu | minha | nosso | nossa"
