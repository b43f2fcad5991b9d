# A pendulum brought to rest from any start by a controller with the Lyapunov function V.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.3 (6.30); V and its derivative are the corrected ones.
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param d = 1 [kg/s]                        # damping

u     = -g/l*(phi + sin(phi))
phi'' = -d/m*phi' - g/l*sin(phi) + u

init phi = -10 [rad], phi' = 10 [rad/s]
output V       = phi'^2/2 + g/l*phi^2/2 + 2*g/l*(1 - cos(phi)) [1/s^2]
output V_prime = -d/m*phi'^2 [1/s^3]
run 0 .. 20
