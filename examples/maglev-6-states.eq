# Magnetic levitation without control as a polynomial system: y4 = 1/x, y5 = y4^2, y6 = i^2.
# Veigend, PhD thesis (Brno 2023), sec. 6.4.2 (6.58), Table 6.24; start values are chosen here.
param m = 0.02, g = 9.81, R = 0.95, L = 0.277, c1 = 2.48315632e-5
param x0 = 0.009, i0 = 0.8
input u = 0

v'  = g - c1/m*y5*y6
x'  = v
i'  = -R/L*i + 2*c1/L*v*i*y5 + u/L
y4' = -v*y5
y5' = -2*v*y4*y5
y6' = -2*R/L*y6 + 4*c1/L*v*y5*y6 + 2*u/L*i

init v = 0, x = x0, i = i0, y4 = 1/x0, y5 = 1/x0^2, y6 = i0^2
run 0 .. 2
