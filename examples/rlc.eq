# A series RLC circuit from rest, driven near its resonance for four periods T.
# Shmygelsky, Brygilevych, Simulation of Dynamic Systems Using Global Calculation Error, example 1 (9).
param R = 10 [Ohm], L = 1e-3 [H], C = 1e-7 [F]
param A = 10 [V],   T = 62.5e-6 [s]
input E = A*sin(2*pi*t/T) [V]

C*U'       = I
L*I' + R*I = E - U

init U = 0 [V], I = 0 [A]
output energy = C*U^2/2 + L*I^2/2 [J]
run 0 .. 4*T
