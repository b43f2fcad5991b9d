# Magnetic levitation without control as a polynomial system: y4 = 1/x, products of four factors.
# Veigend, PhD thesis (Brno 2023), sec. 6.4.2 (6.56), Tables 6.21, 6.22; start values are chosen here.
param m = 0.02, g = 9.81, R = 0.95, L = 0.277, c1 = 2.48315632e-5
param x0 = 0.009, i0 = 0.8
input u = 0

v'  = g - c1/m*i*i*y4*y4
x'  = v
i'  = -R/L*i + 2*c1/L*v*i*y4*y4 + u/L
y4' = -v*y4*y4

init v = 0, x = x0, i = i0, y4 = 1/x0
run 0 .. 2
