# Magnetic levitation with state feedback and integrator as a polynomial system: y4 = 1/x, products of four factors.
# Veigend, PhD thesis (Brno 2023), sec. 6.4.3 (6.62), Table 6.26; start values are chosen here.
param m = 0.02, g = 9.81, R = 0.95, L = 0.277, c1 = 2.48315632e-5
param k1 = -57.7, k2 = -2762.6, k3 = 25.8, k5 = -2000
param x_r = 0.009, i_r = 0.8, x0 = 0.012, i0 = 0.8

u = -k1*v - k2*(x - x_r) - k3*(i - i_r) - k5*q

v'  = g - c1/m*i*i*y4*y4
x'  = v
i'  = -R/L*i + 2*c1/L*v*i*y4*y4 + u/L
y4' = -v*y4*y4
q'  = x - x_r

init v = 0, x = x0, i = i0, y4 = 1/x0, q = 0
run 0 .. 2
