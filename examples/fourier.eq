# Fourier coefficients as integrals over one period: of sin(omega*t)^2, a0 ends at 1 and a2 at -1/2.
# Veigend, PhD thesis (Brno 2023), sec. 4.5 (4.42), (4.43), (4.52) with the factor 2/T for a0, too.
param T     = 2 [s]
param omega = 2*pi/T [rad/s]

f   = sin(omega*t)^2
a0' = 2/T*f
a2' = 2/T*f*cos(2*omega*t)

init a0 = 0, a2 = 0
run 0 .. T
