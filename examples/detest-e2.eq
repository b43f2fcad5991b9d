# DETEST E2: the van der Pol equation.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.12.

y'' = (1 - y^2)*y' - y

init y = 2, y' = 0
run 0 .. 20
