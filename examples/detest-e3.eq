# DETEST E3: Duffing's equation.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.13.

y'' = y^3/6 - y + 2*sin(2.78535*t)

init y = 0, y' = 0
run 0 .. 20
