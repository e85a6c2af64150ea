"""A scikit-learn script: fit, score, a classification report."""

import json
import time

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import train_test_split

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=42)
print("Train shape:", X_train.shape, "Test shape:", X_test.shape)
clf = LogisticRegression(max_iter=30)
t0 = time.time()
clf.fit(X_train / 16, y_train)
fit_time = time.time() - t0
print(f"Fit time: {fit_time:.3f}s")
train_acc = accuracy_score(y_train, clf.predict(X_train / 16))
test_acc = accuracy_score(y_test, clf.predict(X_test / 16))
print(f"Train accuracy: {train_acc:.4f}")
print(f"Test accuracy: {test_acc:.4f}")
print(classification_report(y_test, clf.predict(X_test / 16)))

truth = {
    "train_s": float(f"{fit_time:.3f}"),
    "accuracy": float(f"{test_acc:.4f}"),
    "accuracy_of": "test",
    "metrics": {"train_accuracy": float(f"{train_acc:.4f}"), "test_accuracy": float(f"{test_acc:.4f}")},
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
