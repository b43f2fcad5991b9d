# Two integrators in a network: x feeds itself and y.
# Veigend, PhD thesis (Brno 2023), sec. 3.7 (3.44).

x' = x
y' = y + x

init x = 1, y = 2
output error = y - (2 + t)*exp(t)
run 0 .. 2
