# A quotient with a known solution: y = t + sqrt(1 + 2*t^2).
# Veigend, PhD thesis (Brno 2023), sec. 3.5.2 (3.33), (3.34).

y' = (y + t)/(y - t)

init y = 1
output error = y - (t + sqrt(1 + 2*t^2))
run 0 .. 10
