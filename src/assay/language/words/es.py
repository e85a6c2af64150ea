"""Spanish. As in `en.py`; what is a word of another language, too, stays out."""

from __future__ import annotations

TERMS = {
    "batch_size": "tamaño de lote | tamaño del lote | tamaños de lote | tamaño de batch | tamaño del batch | lote"
    " de | lote | lotes de | tamaño de mini lote | tamaño de minilote",
    "lr": "tasa de aprendizaje | ratio de aprendizaje | velocidad de aprendizaje | tasas de aprendizaje",
    "epochs": "época | épocas | epoca | epocas | número de épocas | épocas de entrenamiento",
    "max_steps": "número máximo de pasos | pasos máximos",
    "steps": "pasos | paso | iteraciones | iteración | pasos de entrenamiento",
    "num_tasks": "tareas | número de tareas | tareas paralelas",
    "num_nodes": "nodos | nodo | número de nodos",
    "num_procs": "procesos | proceso | número de procesos | tarjetas | aceleradores",
    "seq_len": "longitud de secuencia | longitud de la secuencia | longitud máxima de secuencia | longitud de contexto",
    "seed": "semilla | semillas | semilla aleatoria",
    "concurrency": "concurrencia | solicitudes concurrentes | peticiones concurrentes | solicitudes simultáneas",
    "accuracy": "exactitud | exactitudes | precisión | exactitud de prueba | precisión de prueba",
    "loss": "pérdida | pérdidas | perdida | pérdida de entrenamiento",
    "val_loss": "pérdida de validación | pérdida en validación",
    "test_loss": "pérdida de prueba | pérdida en prueba | pérdida de test | pérdida en el conjunto de prueba",
    "error_rate": "tasa de error",
    "rate": "rendimiento | caudal | velocidad | tasa de procesamiento | velocidad de entrenamiento | velocidad de"
    " procesamiento",
    "time": "tiempo | tiempos | duración | tiempo de entrenamiento | tiempo total | tiempo de ejecución | tardó |"
    " tarda | tardaron | tardan | tardar | duró | duraron | dura | llevó | terminó en | acabó en | tomó |"
    " tiempo de cómputo | necesitó | necesita",
    "latency": "latencia | latencias | tiempo de respuesta",
    "memory": "memoria | uso de memoria | consumo de memoria | memoria máxima",
    "cpu": "uso de cpu | uso de la cpu | carga de cpu | utilización de cpu",
    "cpu_s": "tiempo de cpu",
    "utilisation": "utilización | uso de gpu | uso de la gpu",
    "energy": "energía | consumo de energía",
    "power": "potencia",
    "samples": "muestras | ejemplos | imágenes | secuencias",
    "queue": "tiempo de espera | en la cola | tiempo en cola | esperó",
    "compile": "tiempo de compilación | la compilación tardó",
    "load": "tiempo de carga",
    "perplexity": "perplejidad",
}
RATE_UNITS = {
    "samples": "muestras por segundo | muestras / s | imágenes por segundo | imágenes / s | ejemplos por segundo "
    "| ejemplos / s | secuencias por segundo | secuencias / s | muestras / segundo | imágenes / "
    "segundo",
    "tokens": "tokens por segundo | tokens / segundo",
    "inferences": "inferencias por segundo | inferencias / s",
    "requests": "solicitudes por segundo | peticiones por segundo | solicitudes / s | peticiones / s",
    "steps": "pasos por segundo | iteraciones por segundo | pasos / s",
}
SPLITS = {
    "train": "de entrenamiento | en entrenamiento | conjunto de entrenamiento | datos de entrenamiento",
    "val": "de validación | en validación | conjunto de validación",
    "test": "de prueba | en prueba | conjunto de prueba | datos de prueba | conjunto de test | de test | en test",
}
SCOPES = {
    "device": "por gpu | por dispositivo | por tarjeta | por proceso | por tarea | por nodo | cada gpu | cada "
    "dispositivo | cada proceso | por réplica | en cada gpu | por ipu | por acelerador",
    "global": "globales | efectivo | efectiva",
    "epoch": "por época | cada época | una época | por epoca | cada epoca",
    "step": "por paso | cada paso | por iteración | cada iteración",
    "sample": "por muestra | por imagen | por ejemplo cada | cada muestra",
    "token": "por token | cada token",
}
AVERAGES = {
    "mean": "promedio | en promedio | media | medio | de media | promediado",
    "median": "mediana",
    "max": "máximo | máxima | como máximo | pico",
    "min": "mínimo | mínima",
    "total": "en total | en conjunto | juntos | juntas | suma | sumados | en suma | todos juntos",
    "std": "desviación estándar | desviación típica | varianza | dispersión",
    "initial": "inicial | inicialmente | al principio | al inicio | primera época | empieza en | empezó en | "
    "comienza en",
}
UP = {
    "": "aument* | sube | suben | subió | subieron | subido | crece | crecen | creció | crecieron | incrementa | "
    "incrementó | incrementan | mayor | mayores | más | más alta | más alto | por encima",
    "better": "mejora | mejoró | mejoran | mejorar | mejoraron | mejor que | supera | superó",
    "speed": "más rápido | más rápida | más rápidos | más rápidas | más rápidamente | más veloz | acelera | "
    "aceleró | tan rápido | tan rápida | de rápido | de rápida",
    "time": "más tiempo | más largo | más larga | más lento en terminar",
    "accuracy": "más preciso | más precisa | más precisos | más precisas | más exacto | más exacta",
}
DOWN = {
    "": "disminuy* | baja | bajan | bajó | bajaron | bajado | reduce | reducen | redujo | redujeron | cae | caen "
    "| cayó | cayeron | desciende | descendió | menor | menores | menos | más baja | más bajo | inferior | "
    "por debajo | ahorra | ahorró",
    "worse": "empeora | empeoró | empeoran | peor que",
    "speed": "más lento | más lenta | más lentos | más lentas | más despacio | ralentiza | ralentizó | menos rápido",
    "time": "menos tiempo | más corto | más corta",
    "accuracy": "menos preciso | menos precisa | menos exacto | menos exacta",
}
FACTORS = {
    2.0: "el doble | duplic* | dos veces",
    0.5: "la mitad | mitad",
    3.0: "el triple | triplic* | tres veces",
    4.0: "cuadruplic* | cuatro veces",
    10.0: "diez veces | un orden de magnitud",
}
BEST = {
    "speed+": "el más rápido | la más rápida | los más rápidos | fue más rápido de todos",
    "speed-": "el más lento | la más lenta",
    "accuracy+": "el más preciso | la más precisa | el más exacto | la más exacta",
    "accuracy-": "el menos preciso | la menos precisa",
    "time-": "el más corto | la más corta | el menor tiempo",
    "time+": "el más largo | la más larga | el mayor tiempo",
    "+": "la mayor | el mayor | más alta de todas | la más alta | el más alto",
    "-": "la menor | el menor | la más baja | el más bajo",
    "better": "el mejor | la mejor | los mejores",
    "worse": "el peor | la peor",
}
SAME = (
    "igual | iguales | mismo | misma | idéntico | idéntica | sin cambios | constante | similar | similares | no "
    "hay diferencia | ninguna diferencia | sin efecto | ningún efecto | no cambia | no cambió | no afecta | no "
    "afectó | no hay una diferencia | independiente de | estable"
)
LINEAR = "lineal | linealmente | proporcional | proporcionalmente | perfectamente"
CLEARLY = "claramente | significativamente | notablemente | considerablemente | siempre | sin duda | significativa"
SLIGHTLY = "ligeramente | un poco | levemente"
LINKS = (
    "es | son | fue | fueron | era | de | del | la | el | los | las | en | con | al | un | una | se | que | para "
    "| ha | alcanzó | alcanza | alcanzaron | alcanzando | alcanzado | obtuvo | obtuvimos | obtuve | obtiene | "
    "obtenido | logró | logra | llegó | llega | quedó | queda | final | finalmente | resultó | valor | valores | "
    "entrenamiento | modelo | ejecución | corrida | nuestra | nuestro | este | esta | esto | ahora | solo | sólo "
    "| también | después | usado | usó | usando | usamos | midió | medido | igual | número | su | sus | datos | "
    "conjunto | tuvo | tiene | por"
)
ABOUT = "aproximadamente | unos | unas | alrededor de | cerca de | casi | más o menos | en torno a"
AT_LEAST = "más de | al menos | por lo menos | como mínimo | mayor que"
AT_MOST = "menos de | como máximo | hasta | a lo sumo | no más de | menor que"
SUPPOSED = (
    "sería | serían | podría | podrían | podríamos | debería | deberían | deberíamos | habría | tendría | usaría "
    "| usaríamos | probaría | vamos a | voy a | la próxima vez | próxima vez | en el futuro | trabajo futuro | "
    "quiero | quería | queremos | queríamos | esperamos | esperaba | esperábamos | espero | esperado | esperada |"
    " probablemente | quizás | quizá | tal vez | teóricamente | en teoría | normalmente | generalmente | "
    "típicamente | recomendado | recomendada | recomienda | recomiendan | sugiere | sugieren | si se | si usamos "
    "| si uso | suponiendo | supongo | se puede | se podría | planeo | planeamos | idealmente | objetivo es | "
    "suele | suelen | hay que | estimado"
)
DEFAULTS = "por defecto | predeterminado | predeterminada | por omisión"
OTHERS = (
    "tarea | enunciado | ejercicio | curso | clase | instrucciones | documentación | compañero | compañeros | "
    "compañera | otros | otras | profesor | profesora | artículo | autores | fabricante | literatura | referencia"
    " | alguien | diapositivas | un amigo"
)
OTHER_VERBS = (
    "pide | piden | pedía | exige | requiere | usa | usan | usó | usaron | dice | dicen | dijo | muestra | "
    "muestran | informa | reporta | reportan | indica | recomienda | sugiere | alcanza* | obtien* | obtuv* | "
    "según"
)
ELSEWHERE = (
    "en mi portátil | en mi laptop | en mi ordenador | en mi computadora | en casa | en otra máquina | en un "
    "portátil | en mi máquina"
)
EARLIER = (
    "la semana pasada | el año pasado | el mes pasado | semestre pasado | ayer | anteriormente | la vez anterior "
    "| última vez | antes de eso | originalmente | en un intento anterior | primer intento | intento anterior | "
    "ejecución anterior | versión anterior"
)
FAILED = (
    "falló | fallaron | fallo | falla | no cabía | no cabe | no cupo | no funcionó | no funciona | no terminó | "
    "no arrancó | no pudo | no pudimos | sin memoria | memoria insuficiente | se colgó | abortado | cancelado | "
    "imposible | errores"
)
ADMITTED = (
    "no tuvo efecto | sin efecto | no se aplicó | ignorado | ignorada | sobrescrito | el log muestra | el "
    "registro muestra | en realidad | según el log | según el registro"
)
NOT = "no | ningún | ninguna | ninguno | nunca | sin | tampoco | ni | jamás | apenas | nada"
INSTEAD = (
    "en lugar de | en vez de | a diferencia de | comparado con | comparada con | en comparación con | frente a | "
    "rápido que | rápida que | lento que | lenta que | preciso que | precisa que | tiempo que | mejor que | peor "
    "que"
)
ASKED = "tarea | pregunta | ejercicio | objetivo | enunciado"
THAN = (
    "comparado con | comparada con | en comparación con | frente a | respecto a | rápido que | rápida que | lento"
    " que | lenta que | preciso que | precisa que | tiempo que | mejor que | peor que | alta que | alto que | "
    "baja que | bajo que"
)
WITHIN = (
    "durante el entrenamiento | a lo largo del entrenamiento | a lo largo de las épocas | con el tiempo | al "
    "principio | al inicio | gradualmente | rápidamente | progresivamente | tras la primera época | al final"
)
MACHINES = "portátil | ordenador | computadora | máquina | esperado | literatura"
RESPECTIVELY = "respectivamente | en ese orden"
ORDER = {
    1: "primera | primer | primero",
    2: "segunda | segundo",
    3: "tercera | tercer | tercero",
    4: "cuarta | cuarto",
    -1: "última | último",
}
DID = (
    "entrené | entrenamos | entrenó | usé | usamos | usó | utilicé | utilizamos | utilizó | ejecuté | ejecutamos "
    "| ejecutó | cambié | cambiamos | aumenté | aumentamos | reduje | redujimos | probé | probamos | medimos | "
    "comparamos | repetimos"
)
WE = "yo | nosotros | mi | nuestro | nuestra | nuestros | nuestras | nos"
PART = (
    "después de | tras | primera | primeras | última | últimas | cada | dentro de | otras | otra | hasta | "
    "desde | antes de"
)
