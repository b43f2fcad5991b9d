# The exponential: e itself is the value at t = 1.
# Veigend, PhD thesis (Brno 2023), sec. 3.6.

y' = y

init y = 1
output error = y - exp(t)
run 0 .. 1
