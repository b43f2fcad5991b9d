# DETEST A1: the negative exponential.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.1.

y' = -y

init y = 1
output error = y - exp(-t)
run 0 .. 20
