# The Kepler problem as a polynomial system with products of at most three factors: more states, less work per term.
# Veigend, PhD thesis (Brno 2023), sec. 4.7 (4.64), Tables 4.29, 4.31; y10 = y6*y9, y11 = y8*y9, y12 = y1^2 + y2^2.
param e = 0.5
param r0 = 1 - e, v0 = sqrt((1 + e)/(1 - e))      # start at the perihelion

y1'  = y3
y2'  = y4
y3'  = -y1*y7
y4'  = -y2*y7
y5'  =  3*y10
y6'  =  y11
y7'  = -3*y7*y7*y10
y8'  = -y8*y8*y11
y9'  =  y3*y3 + y4*y4 - y7*y12
y10' =  y9*y11 + y3*y3*y6 + y4*y4*y6 - y6*y7*y12
y11' = -y8*y11*y11 + y3*y3*y8 + y4*y4*y8 - y7*y8*y12
y12' =  2*y1*y3 + 2*y2*y4

init y1 = r0, y2 = 0, y3 = 0, y4 = v0
init y5 = r0^3, y6 = r0, y7 = 1/r0^3, y8 = 1/r0
init y9 = 0, y10 = 0, y11 = 0, y12 = r0^2

output ellipse = (y1 + e)^2 + y2^2/(1 - e^2) - 1   # stays 0
run 0 .. 4*pi
