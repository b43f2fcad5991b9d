# The Kepler problem as a polynomial system with products of at most four factors: y9 is the scalar product r*v.
# Veigend, PhD thesis (Brno 2023), sec. 4.7 (4.63), Table 4.28; y5 = r^3, y6 = r, y7 = 1/r^3, y8 = 1/r.
param e = 0.5
param r0 = 1 - e, v0 = sqrt((1 + e)/(1 - e))      # start at the perihelion

y1' = y3
y2' = y4
y3' = -y1*y7
y4' = -y2*y7
y5' =  3*y6*y9
y6' =  y8*y9
y7' = -3*y6*y7*y7*y9
y8' = -y8*y8*y8*y9
y9' =  y3*y3 + y4*y4 - y7*(y1*y1 + y2*y2)

init y1 = r0, y2 = 0, y3 = 0, y4 = v0
init y5 = r0^3, y6 = r0, y7 = 1/r0^3, y8 = 1/r0, y9 = 0

output ellipse = (y1 + e)^2 + y2^2/(1 - e^2) - 1   # stays 0
run 0 .. 4*pi
