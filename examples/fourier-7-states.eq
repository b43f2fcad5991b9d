# Fourier coefficients of sin(omega*t)^2 as a polynomial system with one product: a0 ends at 1 and a2 at -1/2.
# Veigend, PhD thesis (Brno 2023), sec. 4.5 (4.54) with the factor 2/T for a0, Table 4.24.
param T = 2, omega = 2*pi/T

a0' = 2/T*y3
a2' = 2/T*y3*y6
y3' =  2*omega*y4              # sin^2
y4' =  omega*(y5 - y3)         # sin*cos
y5' = -2*omega*y4              # cos^2
y6' = -2*omega*y7              # cos(2*omega*t)
y7' =  2*omega*y6              # sin(2*omega*t)

init a0 = 0, a2 = 0, y3 = 0, y4 = 0, y5 = 1, y6 = 1, y7 = 0
run 0 .. T
