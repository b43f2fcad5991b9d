# A pendulum with damping, released at a right angle; u is an optional force.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.1 (6.13), (6.14), Table 6.7.
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param d = 1 [kg/s]                        # damping
input u = 0 [N]

phi'' = -d/m*phi' - g/l*sin(phi) - u/(m*l)

init phi = pi/2 [rad], phi' = 0 [rad/s]
output E = 0.5*m*l^2*phi'^2 + m*g*l*(1 - cos(phi)) [J]
run 0 .. 5
