# The cart drives to x = 1 with the pendulum hanging: state feedback, linearised poles -1.5, -1.6, -1.7, -1.8.
# Veigend, PhD thesis (Brno 2023), sec. 6.3.5 (6.43); the printed gains rest on a wrong sign.
param M = 10 [kg], m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param k1 = 57.97706422 [N*s/rad], k2 = 114.9909633 [N/rad]
param k3 = 27.34862385 [N*s/m],   k4 = 11.2293578  [N/m]
param phi_r = pi [rad], x_r = 1 [m]

u = -k1*phi' - k2*(phi - phi_r) - k3*x' - k4*(x - x_r) [N]

x''   = (u + m*l*sin(phi)*phi'^2 - m*g*sin(phi)*cos(phi)) / (M + m*sin(phi)^2)
phi'' = (-u*cos(phi) + (M+m)*g*sin(phi) - m*l*sin(phi)*cos(phi)*phi'^2) / (M*l + m*l*sin(phi)^2)

init x = -1 [m], x' = 0 [m/s], phi = pi + 0.1 [rad], phi' = 0 [rad/s]
run 0 .. 12
