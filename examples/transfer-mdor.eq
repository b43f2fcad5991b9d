# A linear equation of fourth order with constant forcing; y settles at b0/a0.
# Veigend, PhD thesis (Brno 2023), sec. 2.6.1 (2.19)-(2.21); the coefficients are chosen here.
param a3 = 2, a2 = 3.5, a1 = 2.25, a0 = 1.1
param b0 = 3
input z = 1

y'''' + a3*y''' + a2*y'' + a1*y' + a0*y = b0*z

init y = 0, y' = 0, y'' = 0, y''' = 0
run 0 .. 12
