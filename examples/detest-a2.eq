# DETEST A2: a special Riccati equation.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.2.

y' = -y^3/2

init y = 1
output error = y - 1/sqrt(1 + t)
run 0 .. 20
