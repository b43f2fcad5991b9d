# DETEST B4: a curve on the surface of a torus.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), sec. 4.1.9.

r = sqrt(y1^2 + y2^2)

y1' = -y2 - y1*y3/r
y2' =  y1 - y2*y3/r
y3' =       y1/r

init y1 = 3, y2 = 0, y3 = 0
output error1 = y1 - (2 + cos(t))*cos(t)
output error2 = y2 - (2 + cos(t))*sin(t)
output error3 = y3 - sin(t)
run 0 .. 20
