# Fourier coefficients of sin(omega*t)^2 as a linear system: every product of the angles became a state.
# Veigend, PhD thesis (Brno 2023), sec. 4.5 (4.55) with the factor 2/T for a0, Table 4.25; s, c = sin, cos of omega*t.
param T = 2, omega = 2*pi/T

a0'  = 2/T*y3
a2'  = 2/T*y6
y3'  =  2*omega*y4                     # s^2
y4'  =  omega*(y5 - y3)                # s*c
y5'  = -2*omega*y4                     # c^2
y6'  =  2*omega*(y8 - y7)              # s^2*cos(2*omega*t)
y7'  =  2*omega*(y9 + y6)              # s^2*sin(2*omega*t)
y8'  =  omega*(y10 - y6 - 2*y9)        # s*c*cos(2*omega*t)
y9'  =  omega*(y11 - y7 + 2*y8)        # s*c*sin(2*omega*t)
y10' = -2*omega*(y8 + y11)             # c^2*cos(2*omega*t)
y11' = -2*omega*(y9 - y10)             # c^2*sin(2*omega*t)

init a0 = 0, a2 = 0, y3 = 0, y4 = 0, y5 = 1, y6 = 0
init y7 = 0, y8 = 0, y9 = 0, y10 = 1, y11 = 0
run 0 .. T
