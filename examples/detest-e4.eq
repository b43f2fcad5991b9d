# DETEST E4: a body falling in air.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.14.

y'' = 0.032 - 0.4*y'^2

init y = 30, y' = 0
output error = y - (30 + 2.5*log(cosh(sqrt(0.0128)*t)))
run 0 .. 20
