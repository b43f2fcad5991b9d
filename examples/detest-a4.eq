# DETEST A4: the logistic curve.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.4.

y' = (y/4)*(1 - y/20)

init y = 1
output error = y - 20/(1 + 19*exp(-t/4))
run 0 .. 20
