# The test equation of linear stability: an explicit method is stable for small steps only.
# Veigend, PhD thesis (Brno 2023), sec. 3.5.4 (3.39).
param lambda = -25 [1/s]

y' = lambda*y

init y = 1
output error = y - exp(lambda*t)
run 0 .. 1
