# A product with an exponential; the solution is exp((exp(a*t) - 1)/a).
# Veigend, PhD thesis (Brno 2023), sec. 3.7.3 (3.62), (3.63); the value of a is chosen here.
param a = -1 [1/s], c = 1 [1/s]

y' = c*y*exp(a*t)

init y = 1
output error = y - exp(c/a*(exp(a*t) - 1))
run 0 .. 1
