# DETEST B5: Euler's equations of a rigid body; the solution is sn, cn, dn of modulus sqrt(0.51).
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.9.

y1' =  y2*y3
y2' = -y1*y3
y3' = -0.51*y1*y2

init y1 = 0, y2 = 1, y3 = 1
output circle  = y1^2 + y2^2            # stays 1
output ellipse = 0.51*y1^2 + y3^2       # stays 1
run 0 .. 20
