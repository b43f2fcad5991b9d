# DETEST E1: Bessel's equation of order 1/2, shifted by 1.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.11.

y'' = -(y'/(t + 1) + (1 - 0.25/(t + 1)^2)*y)

init y = 0.6713967071418030, y' = 0.09540051444747446
output error = y - sqrt(2/(pi*(t + 1)))*sin(t + 1)
run 0 .. 20
