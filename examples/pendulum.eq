# A pendulum without damping: the energy stays.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.1 (6.10).
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]

m*l*phi'' = -m*g*sin(phi)

init phi = pi/8 [rad], phi' = 0 [rad/s]
output E = 0.5*m*l^2*phi'^2 + m*g*l*(1 - cos(phi)) [J]
run 0 .. 10
