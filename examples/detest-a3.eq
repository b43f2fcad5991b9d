# DETEST A3: an oscillatory problem.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.3.

y' = y*cos(t)

init y = 1
output error = y - exp(sin(t))
run 0 .. 20
