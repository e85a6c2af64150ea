"""French: what values are given in; as in `en.py`."""

from __future__ import annotations

TERMS = {
    "batch_size": "taille de lot | taille du lot | taille de batch | taille des lots",
    "lr": "taux d'apprentissage",
    "epochs": "époque | époques | nombre d'époques",
    "steps": "étapes | itérations",
    "seq_len": "longueur de séquence",
    "accuracy": "exactitude | précision",
    "loss": "perte",
    "val_loss": "perte de validation",
    "test_loss": "perte de test",
    "rate": "débit",
    "time": "temps | durée | temps d'entraînement | temps d'exécution | a duré | dure | a pris",
    "latency": "latence",
    "memory": "mémoire | utilisation de la mémoire",
    "samples": "échantillons | exemples",
}
RATE_UNITS = {
    "samples": "échantillons par seconde | images par seconde | exemples par seconde | échantillons / s",
    "tokens": "jetons par seconde | tokens par seconde",
}
SPLITS = {"train": "d'entraînement", "val": "de validation", "test": "de test"}
SCOPES = {"device": "par gpu | par carte | par processus", "epoch": "par époque", "step": "par étape"}
AVERAGES = {"mean": "moyenne | en moyenne", "total": "au total | ensemble", "initial": "au début"}
UP = {
    "": "augment* | plus élevé | plus élevée",
    "better": "amélior*",
    "speed": "plus rapide | plus vite | plus rapides",
    "time": "plus long | plus longtemps | plus longue",
    "accuracy": "plus précis | plus précise",
}
DOWN = {
    "": "diminu* | baisse | rédui* | moins élevé | plus faible",
    "speed": "plus lent | plus lente | plus lents | moins rapide",
    "time": "plus court | plus courte | moins de temps",
    "accuracy": "moins précis | moins précise",
}
BEST = {
    "speed+": "le plus rapide | la plus rapide",
    "speed-": "le plus lent | la plus lente",
    "accuracy+": "le plus précis | la plus précise",
    "better": "le meilleur | la meilleure",
}
LINKS = (
    "est | sont | était | a | atteint | atteinte | obtenu | obtenue | obtenons | le | les | nous | avons | avec |"
    " du | au | finale | modèle | ce | cette"
)
ABOUT = "environ | presque | à peu près"
AT_LEAST = "plus de | au moins"
AT_MOST = "moins de | au plus | jusqu'à"
SUPPOSED = (
    "serait | pourrait | pourrions | devrait | devrions | aurait | voudrais | voulons | prochaine fois | "
    "probablement | peut être | théoriquement | généralement | normalement | on peut | si on | si l'on | attendu "
    "| attendue | recommandé | recommandée"
)
DEFAULTS = "par défaut"
OTHERS = "énoncé | exercice | cours | collègue | collègues | autres | professeur | auteurs"
OTHER_VERBS = "demande* | utilis* | montre* | recommande* | obtien* | selon"
ELSEWHERE = "sur mon portable | sur mon ordinateur | à la maison"
EARLIER = "la semaine dernière | précédemment | essai précédent"
FAILED = "échoué | échoue | échec | planté | impossible"
NOT = "ne | pas | n'est | aucun | aucune | jamais | sans"
INSTEAD = "au lieu de | plutôt que | par rapport à"
SAME = "identique | identiques | inchangé | inchangée | même"
DID = "entraîné | entraînée | utilisé | utilisée | lancé"
WE = "nous | notre | nos | je | mon"
