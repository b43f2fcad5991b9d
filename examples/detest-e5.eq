# DETEST E5: linear pursuit; the pursuer arrives at t = 25.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), sec. 4.1.15 (4.5).

y'' = sqrt(1 + y'^2)/(25 - t)

init y = 0, y' = 0
output error = y - 0.5*(25*log(25/(25 - t)) - t + t^2/50)
run 0 .. 20
