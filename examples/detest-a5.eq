# DETEST A5: a spiral curve; in polar coordinates r = 4*exp(pi/2 - angle).
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), sec. 4.1.5.

y' = (y - t)/(y + t)

init y = 4
output r     = sqrt(t^2 + y^2)
output angle = atan2(y, t)
output error = r - 4*exp(pi/2 - angle)
run 0 .. 20
