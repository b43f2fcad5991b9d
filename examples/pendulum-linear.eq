# The damped pendulum linearised at rest: sin(phi) became phi.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.1 (6.18).
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param d = 1 [kg/s]                        # damping
param phi0 = pi/7 [rad]
param delta = d/(2*m) [1/s], omega = sqrt(g/l - delta^2) [rad/s]

phi'' = -d/m*phi' - g/l*phi

init phi = phi0 [rad], phi' = 0 [rad/s]
output error = phi - phi0*exp(-delta*t)*(cos(omega*t) + delta/omega*sin(omega*t)) [rad]
run 0 .. 5
