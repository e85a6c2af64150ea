"""German. As in `en.py`; what is a word of another language, too, stays out."""

from __future__ import annotations

TERMS = {
    "batch_size": "batchgröße | batchgrösse | batch größe | batchgroesse | batch groesse | batch grösse | "
    "batchgrößen | stapelgröße | losgröße | minibatchgröße | mini batchgröße",
    "lr": "lernrate | lernraten | schrittweite | learningrate",
    "epochs": "epoche | epochen | trainingsepochen | durchläufe durch die daten",
    "max_steps": "maximale schrittzahl | maximale schritte",
    "steps": "schritte | schritten | schritt | iterationen | trainingsschritte | trainingsschritten",
    "num_tasks": "aufgaben parallel | parallele tasks",
    "num_nodes": "knoten | rechenknoten",
    "num_procs": "prozesse | prozessen | grafikkarten | gpus",
    "seq_len": "sequenzlänge | sequenzlängen | kontextlänge | maximale sequenzlänge",
    "seed": "startwert | zufallsstartwert",
    "concurrency": "gleichzeitige anfragen | gleichzeitigen anfragen | parallele anfragen | nebenläufigkeit",
    "accuracy": "genauigkeit | genauigkeiten | testgenauigkeit | validierungsgenauigkeit | trainingsgenauigkeit | "
    "treffergenauigkeit | trefferquote | "
    "korrektklassifikationsrate",
    "loss": "verlust | verluste | verlustwert | trainingsverlust | trainingsloss | lossfunktion | verlustfunktion",
    "val_loss": "validierungsverlust | validierungsloss",
    "test_loss": "testverlust | testloss",
    "error_rate": "fehlerrate | fehlerquote",
    "rate": "durchsatz | durchsätze | trainingsdurchsatz | geschwindigkeit | trainingsgeschwindigkeit | "
    "verarbeitungsrate",
    "time": "zeit | zeiten | laufzeit | laufzeiten | trainingszeit | trainingszeiten | trainingsdauer | dauer | "
    "gesamtzeit | gesamtdauer | ausführungszeit | rechenzeit | dauerte | dauerten | dauert | dauern | "
    "gedauert | brauchte | brauchten | braucht | brauchen | gebraucht | benötigte | benötigten | benötigt"
    " | benötigen | in anspruch | war fertig nach | lief",
    "latency": "latenz | latenzen | antwortzeit | verzögerung",
    "memory": "speicher | speicherbedarf | speicherverbrauch | arbeitsspeicher | speichernutzung | hauptspeicher",
    "cpu": "cpu auslastung | cpu last | prozessorlast | prozessorauslastung",
    "cpu_s": "cpu zeit | prozessorzeit",
    "utilisation": "gpu auslastung | auslastung",
    "energy": "energie | energieverbrauch",
    "power": "leistungsaufnahme",
    "samples": "beispiele | beispielen | stichproben | bilder | bildern | sequenzen | datenpunkte",
    "queue": "wartezeit | in der warteschlange | gewartet",
    "compile": "kompilierzeit | übersetzungszeit | kompilierung dauerte | kompilieren dauerte",
    "load": "ladezeit",
    "perplexity": "perplexität",
}
RATE_UNITS = {
    "samples": "samples pro sekunde | beispiele pro sekunde | bilder pro sekunde | bilder / s | beispiele / s | "
    "sequenzen pro sekunde | sequenzen / s | samples / sekunde | bilder / sekunde | beispiele / "
    "sekunde | images pro sekunde",
    "tokens": "tokens pro sekunde | token pro sekunde | tokens / sekunde",
    "inferences": "inferenzen pro sekunde | inferenzen / s",
    "requests": "anfragen pro sekunde | anfragen / s",
    "steps": "schritte pro sekunde | iterationen pro sekunde | schritte / s",
}
SPLITS = {
    "train": "trainingsgenauigkeit | trainingsverlust | trainingsloss | trainingsdaten | trainingsmenge | "
    "trainingsset | trainingssatz",
    "val": "validierung | validierungsdaten | validierungsmenge | validierungsgenauigkeit | validierungsverlust |"
    " validierungsloss",
    "test": "testgenauigkeit | testdaten | testmenge | testset | testsatz | testverlust | testloss | testdatensatz",
}
SCOPES = {
    "device": "pro gpu | je gpu | pro gerät | je gerät | pro karte | je karte | pro prozess | je prozess | pro "
    "task | je task | pro knoten | je knoten | lokale | lokal | auf jeder gpu | jede gpu | jeder "
    "prozess | pro ipu | je ipu | pro replikat",
    "global": "globale | globalen | effektive | effektiven | gesamte",
    "epoch": "pro epoche | je epoche | jede epoche | jeder epoche | eine epoche",
    "step": "pro schritt | je schritt | jeder schritt | jedem schritt | pro iteration",
    "sample": "pro bild | pro beispiel | je bild | je beispiel",
    "token": "pro token | je token",
}
AVERAGES = {
    "mean": "durchschnittlich* | durchschnitt | im schnitt | im mittel | mittlere | mittlerer | mittleren | "
    "mittelwert | gemittelt",
    "max": "maximal | maximale | maximaler | maximalen | spitze | spitzenwert | höchstens | höchstwert",
    "min": "minimal | minimale | minimaler | mindestwert",
    "total": "insgesamt | zusammen | in summe | gesamt | summe | alles zusammen | aufsummiert | zusammengenommen",
    "std": "standardabweichung | streuung | varianz",
    "initial": "anfangs | am anfang | zu beginn | zunächst | erste epoche | ersten epoche | beginnt bei | begann "
    "bei | startet bei | startete bei",
}
UP = {
    "": "steigt | steigen | stieg | stiegen | gestiegen | steigend* | steigert | steigern | steigerte | "
    "gesteigert | wächst | wachsen | wuchs | gewachsen | zunimmt | nimmt zu | nahm zu | zugenommen | höher | "
    "höhere | höherer | höheren | höheres | mehr | so hoch | so viel | "
    "so viele | größer | größere | größerer | größeren | größeres | erhöht"
    " | erhöhte | erhöhen | erhöhung | anstieg | zunahme | vergrößer*",
    "better": "verbessert | verbesserte | verbessern | verbesserung | besser | bessere | besserer | besseren | "
    "besseres | übertrifft | übertraf | schlägt",
    "speed": "schneller | schnellere | schnelleren | schnellerer | so schnell | beschleunigt | beschleunigte | "
    "beschleunigung | beschleunigen",
    "time": "länger | längere | längerer | so lange | so lang | mehr zeit",
    "accuracy": "genauer | genauere | genaueren | genaueres | präziser",
}
DOWN = {
    "": "sinkt | sinken | sank | sanken | gesunken | fällt | fallen | fiel | fielen | gefallen | abnimmt | nimmt "
    "ab | nahm ab | abgenommen | niedriger | niedrigere | niedrigerer | niedrigeren | niedrigeres | geringer "
    "| geringere | geringerer | geringeren | weniger | kleiner | kleinere | kleinerer | kleineren | kleineres"
    " | senkt | senkte | gesenkt | reduziert | reduzierte | reduzieren | verringert | verringerte | "
    "verringern | rückgang | halbierung | spart | sparte",
    "worse": "verschlechtert | verschlechterte | verschlechterung | schlechter | schlechtere | schlechteren",
    "speed": "langsamer | langsamere | langsameren | verlangsamt | verlangsamung",
    "time": "kürzer | kürzere | kürzerer | weniger zeit | verkürzt | verkürzte | verkürzung",
    "accuracy": "ungenauer | weniger genau | weniger präzise",
}
FACTORS = {
    2.0: "doppelt | doppelte | doppelten | verdoppel* | zweifach | zweimal",
    0.5: "halbier* | halb | die hälfte | hälfte",
    3.0: "verdreifach* | dreifach | dreimal | dreifache",
    4.0: "vervierfach* | vierfach | viermal | vierfache",
    10.0: "verzehnfach* | zehnfach | zehnmal | eine größenordnung",
}
BEST = {
    "speed+": "schnellste | schnellster | schnellsten",
    "speed-": "langsamste | langsamsten",
    "accuracy+": "genaueste | genauesten",
    "accuracy-": "ungenaueste | ungenauesten",
    "time-": "kürzeste | kürzesten",
    "time+": "längste | längsten",
    "+": "höchste | höchsten | höchster | größte | größten",
    "-": "niedrigste | niedrigsten | geringste | geringsten | kleinste | kleinsten",
    "better": "beste | besten | bester | bestes",
    "worse": "schlechteste | schlechtesten",
}
SAME = (
    "gleich | gleiche | gleichen | gleich schnell | gleich genau | identisch | identische | unverändert | "
    "konstant | ähnlich | ähnliche | kein unterschied | keinen unterschied | keine auswirkung | keinen einfluss |"
    " kein effekt | keinen effekt | nicht verändert | ändert sich nicht | änderte sich nicht | unterscheiden sich"
    " nicht | unterscheidet sich nicht | vergleichbar | unabhängig von | stabil"
)
LINEAR = "linear | proportional | perfekt skaliert | perfekte skalierung"
CLEARLY = "deutlich | eindeutig | klar | signifikant | erheblich | wesentlich | spürbar | immer"
SLIGHTLY = "leicht | etwas | ein wenig | ein bisschen | geringfügig | minimal | kaum"
LINKS = (
    "ist | sind | war | waren | wird | wurde | wurden | von | bei | auf | mit | als | zu | zur | zum | der | den "
    "| dem | des | das | ein | eine | einer | einen | einem | eines | es | wir | ich | ergab | ergibt | erreichte"
    " | erreicht | erreichten | erzielte | erzielt | erzielten | beträgt | betrug | betragen | lag | liegt | "
    "lagen | liegen | hat | hatte | hatten | haben | kam | kommt | blieb | bleibt | gemessen | gemessene | nun | "
    "nur | noch | dann | am | ende | letzte | letzten | endgültige | schließlich | sich | auch | für | dieser | "
    "dieses | diese | diesem | unser | unsere | mein | meine | lauf | läufe | modell | modells | trainings | wert"
    " | werte | gleich | gesetzt | nach | anzahl | zahl | verwendet | verwendete | verwendeten | genutzt | nutzte"
    " | eingestellt | dabei | damit | hier"
)
ABOUT = "etwa | ungefähr | rund | circa | zirka | ca | knapp | nahezu | annähernd | beinahe | schätzungsweise"
AT_LEAST = "mehr als | über | mindestens | nicht weniger als | wenigstens"
AT_MOST = "weniger als | unter | höchstens | maximal | bis zu | nicht mehr als"
SUPPOSED = (
    "würde | würden | könnte | könnten | sollte | sollten | sollen | soll | möchte | möchten | wollte | wollten |"
    " wollen | müsste | müssten | dürfte | dürften | werde ich | werden wir | beim nächsten mal | nächstes mal | "
    "in zukunft | zukünftig | künftig | geplant | planen | plane | erwarte | erwarten | erwartet | vermutlich | "
    "wahrscheinlich | vielleicht | eventuell | theoretisch | theorie | üblicherweise | normalerweise | "
    "typischerweise | meistens | oft | wenn man | angenommen | empfohlen | empfiehlt | empfehlen | vorgeschlagen "
    "| kann man | können | idealerweise | ziel ist | ziel war | vermute | vermuten | geschätzt"
)
DEFAULTS = "standardwert | standardmäßig | standardeinstellung | voreinstellung | voreingestellt* | vorgabewert"
OTHERS = (
    "aufgabe | aufgabenstellung | übung | übungsblatt | hausaufgabe | vorlesung | kurs | anleitung | "
    "dokumentation | kollege | kollegen | kollegin | kommilitone | kommilitonen | kommilitonin | andere | anderen"
    " | dozent | dozentin | professorin | veröffentlichung | hersteller | literatur | autoren | referenz | folien"
    " | jemand | ein freund"
)
OTHER_VERBS = (
    "verlang* | forder* | nennt | nannte | nutzt* | verwend* | berichte* | sagt | sagte | schreib* | schrieb* | "
    "gibt | zeigt | zeigte | erreicht* | erziel* | hatte | hatten | empfiehlt | empfahl | bekam* | war | ist | "
    "laut | nahm*"
)
ELSEWHERE = (
    "auf meinem laptop | auf dem laptop | auf einem laptop | zu hause | zuhause | auf meinem rechner | auf meinem"
    " pc | auf einem anderen rechner | mein laptop | auf einer anderen maschine"
)
EARLIER = (
    "letzte woche | letzter woche | letztes jahr | letzten monat | letztes semester | beim letzten mal | letztes "
    "mal | gestern | vorher | früher | zuvor | im vorigen | in der vorigen | in der letzten übung | früheren lauf"
    " | früherer lauf | erster versuch | ersten versuch | ursprünglich | vorherigen | vorherige"
)
FAILED = (
    "fehlgeschlagen | schlug fehl | schlugen fehl | abgestürzt | stürzte | stürzten | abgebrochen | brach ab | "
    "passte nicht | passt nicht | lief nicht | funktionierte nicht | ging nicht | konnte nicht | konnten nicht | "
    "nicht genug speicher | zu wenig speicher | fehler | fehlermeldung | unmöglich | gescheitert | scheiterte | "
    "nicht möglich | noch in der warteschlange"
)
ADMITTED = (
    "keine wirkung | ohne wirkung | wirkungslos | ignoriert | überschrieben | nicht übernommen | laut log | log "
    "zeigt | logs zeigen | im log steht | tatsächlich lief | lief trotzdem | lief aber | in wirklichkeit | nicht "
    "angewendet"
)
NOT = "nicht | kein | keine | keinen | keiner | keinem | nie | niemals | ohne | weder | nichts | kaum"
INSTEAD = "statt | anstatt | anstelle | nicht | im gegensatz zu | im vergleich zu | verglichen mit | gegenüber | als"
ASKED = "aufgabe | frage | übung | ziel | aufgabenstellung | hausaufgabe | teilaufgabe"
THAN = "als | im vergleich zu | verglichen mit | gegenüber | statt"
WITHIN = (
    "während des trainings | im laufe des trainings | im verlauf | über die epochen | mit der zeit | im training "
    "| stetig | zu beginn | am anfang | anfangs | nach der ersten epoche | von epoche zu epoche | am ende"
)
MACHINES = "rechner | laptop | maschine | erwartet | literatur"
RESPECTIVELY = "beziehungsweise | bzw | jeweils | in dieser reihenfolge"
ORDER = {
    1: "erste | ersten | erster | ersterer | lauf 1",
    2: "zweite | zweiten | zweiter | letzterer | lauf 2",
    3: "dritte | dritten | dritter | lauf 3",
    4: "vierte | vierten | vierter | lauf 4",
    -1: "letzte | letzter",
}
DID = (
    "trainiert | trainierte | trainierten | verwendet | verwendete | verwendeten | genutzt | nutzte | benutzt | "
    "gesetzt | geändert | erhöht | verringert | reduziert | verdoppelt | halbiert | gemessen | ausgeführt | "
    "gestartet | wiederholt | verglichen | getestet | laufen lassen | gelaufen | lief"
)
WE = "ich | wir | mein | meine | meinem | meinen | unser | unsere | unserem | uns | mich | mir"
PART = (
    "nach | ersten | letzten | jede | jeder | jeden | innerhalb | weitere | weiteren | anfangs | bis | vor | seit"
    " | ab | während | in"
)
